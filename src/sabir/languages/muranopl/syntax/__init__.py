"""Class files and manifests as typed, frozen nodes with spans. Reading never stops at the first mistake."""
