"""One result as one HTML page that needs nothing else: no network, no scripts, pictures inside."""
