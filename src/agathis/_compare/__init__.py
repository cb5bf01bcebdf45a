"""Methods side by side: their names, the protocol, processes that can be stopped."""
