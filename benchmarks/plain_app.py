"""What one would write without novikoff: river's Perceptron behind Starlette, in memory alone."""

import sys
from typing import Any

import uvicorn
from river import linear_model
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

model = linear_model.Perceptron()
pending: dict[str, Any] = {}


async def predict(request: Request) -> JSONResponse:
    row = await request.json()
    label = model.predict_one(row["features"])
    pending[row["id"]] = row["features"], label
    return JSONResponse({"id": row["id"], "label": 1 if label else -1})


async def reveal(request: Request) -> JSONResponse:
    row = await request.json()
    features, label = pending.pop(row["id"])
    model.learn_one(features, row["label"] == 1)
    return JSONResponse({"mistake": label != (row["label"] == 1)})


app = Starlette(routes=[Route(f"/{f.__name__}", f, methods=["POST"]) for f in (predict, reveal)])

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), http="h11", log_level="error")
