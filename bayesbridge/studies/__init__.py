"""The paper's experiments, one file a table, each beside the figures the paper prints."""
