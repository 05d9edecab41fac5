"""models/providers"""
