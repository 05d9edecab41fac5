"""environment/actions"""
