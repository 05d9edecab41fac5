"""documents/parsers"""
