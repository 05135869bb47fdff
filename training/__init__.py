"""Programs that find the numbers which the product ships; none of them is part of it."""
