// A page opened from a folder may not start a worker, and the search is one. Here it runs in a hidden
// frame instead, which behaves like a worker as far as the search can tell.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.inside = new Promise((ready) => {
        frame.onload = () => {
          const inside = frame.contentWindow
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
          inside.importScripts = (...addresses) =>
            Promise.all(addresses.map((each) => load(inside, new URL(each, address))))
          load(inside, address).then(() => ready(inside))
        }
      })
      frame.srcdoc = "<!doctype html><title>search</title>"
      document.body.append(frame)
    }

    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {}
  }

  const load = (inside, address) =>
    new Promise((done, failed) => {
      const script = inside.document.createElement("script")
      script.onload = done
      script.onerror = failed
      script.src = address
      inside.document.head.append(script)
    })
}
