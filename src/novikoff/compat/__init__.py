"""Models in the hands of other libraries: river's protocol, ONNX files."""
