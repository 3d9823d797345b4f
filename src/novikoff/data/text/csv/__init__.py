"""Tables of text: CSV and TSV."""
