"""index/backends"""
