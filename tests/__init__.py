"""The product's tests; they mirror the packages."""
