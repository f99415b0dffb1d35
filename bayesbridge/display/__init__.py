"""Words and the parts that answers are shown with: tables, sentences, markup."""
