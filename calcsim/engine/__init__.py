"""The compiled engine: integers in, integers out; it knows no files, tables or printing."""
