"""The commands: one file each, which parses, calls the library and prints.

Nothing heavy is imported here at module level, so that ``calcsim --help`` and every usage error stay quick.
"""
