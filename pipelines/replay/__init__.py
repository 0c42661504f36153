"""Recorded sessions played turn by turn through ways to keep a message list small, to see what each costs and loses."""
