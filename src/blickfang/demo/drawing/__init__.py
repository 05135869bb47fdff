"""What the demo web shows: pictures drawn from a few numbers each."""
