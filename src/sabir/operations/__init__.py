"""What sabir can do, as plain calls: a request in, a result out; every interface uses these."""
