"""L3: a message list made smaller, valid and recoverable, with as few changes to its beginning as can be."""
