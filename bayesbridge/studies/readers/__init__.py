"""The benchmark of readers: whoever says where the hidden cards of real boards lie, judged on the same boards."""
