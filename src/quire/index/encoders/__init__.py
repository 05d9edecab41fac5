"""index/encoders"""
