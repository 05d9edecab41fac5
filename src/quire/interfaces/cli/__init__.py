"""interfaces/cli"""
