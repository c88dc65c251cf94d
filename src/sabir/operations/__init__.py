"""Operations of sabir as plain calls: a request in, a result out. Every interface uses these."""
