"""What people find most pressing: published orders of themes, and rankings that people sent in. Without Django."""
