"""What ReQAP is compared with: questions translated to SQL, and events read by a language model."""
