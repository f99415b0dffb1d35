"""What is not about cards: compiled kernels, caches, files, progress, random numbers."""
