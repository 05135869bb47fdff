"""A page becomes arrays, once: elements, attributes, classes, texts."""
