"""The posterior over hidden hands: exact first, sampling beyond."""
