"""Message lists as agents send them to models: one view of every dialect, and edits in the dialect itself."""
