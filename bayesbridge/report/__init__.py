"""Results and records as HTML pages that need nothing else: no network, pictures and a record's script inside."""
