"""Class files and manifests as typed, frozen nodes with spans. Reading continues after a mistake."""
