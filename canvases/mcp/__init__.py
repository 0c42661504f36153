"""Tools for agents that speak the Model Context Protocol, over HTTP and over standard input and output."""
