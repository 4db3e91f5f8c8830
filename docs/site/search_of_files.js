// SPDX-License-Identifier: Apache-2.0
// Search where pages are opened as files: there a page may neither start a worker nor fetch the index. The worker runs
// in a hidden frame instead, and the index is a script (scripts/site_hooks.py).
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.hidden = true;
      this.inside = frame.contentWindow;
      const page = this.inside.document;
      page.open();
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      page.write(`<script src="${url}"><\/script>`);
      this.ready = new Promise(resolve => frame.addEventListener("load", resolve));
      page.close();
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", {data})));
    }
  };
  const here = document.currentScript.src;
  document.write(`<script src="${new URL("../search/search_index.js", here)}"><\/script>`);
}
