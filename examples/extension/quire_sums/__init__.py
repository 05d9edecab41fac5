"""One new file for each thing that can be added: a task, a memory, a provider, an action, a scorer."""
