"""What a crawl knows on disk: its database, its log, checkpoints, what it can be asked."""
