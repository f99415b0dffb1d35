"""The paper's two algorithms: a literal transcription, and the kernels and exact counts tested against it."""
