"""What an observer believes: evidence in, a posterior over hidden hands out."""
