"""TOSCA documents, read into typed nodes with their places."""
