// The explorer in a notebook: the page in a frame, and a channel between it and the kernel. A frame that is loaded again,
// as when its cell is scrolled away and back, opens on the position it had.

export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.title = "bayesbridge explorer";
    frame.sandbox = "allow-scripts allow-forms allow-downloads";
    frame.style.cssText = `display: block; box-sizing: border-box; width: 100%; height: ${model.get("height")}px; border: 1px solid #8888`;
    let port = null;

    const dark = () => {
      // Light text stands on dark ground; a canvas reads any way to write a colour.
      const canvas = document.createElement("canvas").getContext("2d");
      canvas.fillStyle = getComputedStyle(el).color;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data[1] > 127;
    };
    const watch = new MutationObserver(() => port?.postMessage({ dark: dark() }));
    const hear = (message) => {
      if (!message.page) port?.postMessage(message);
      else if (!frame.srcdoc) {
        frame.srcdoc = message.page;
        el.replaceChildren(frame);
      }
    };
    frame.onload = () => {
      const channel = new MessageChannel();
      port = channel.port1;
      port.onmessage = ({ data }) => {
        model.send(data);
        if (data.id) return;
        model.set("link", data.link); // by a trait marimo knows that cells must run again; in Jupyter it may come late
        model.save_changes();
      };
      frame.contentWindow.postMessage({ link: model.get("link"), dark: dark() }, "*", [channel.port2]);
    };
    el.textContent = "The explorer is answered by the kernel: run this cell.";
    model.on("msg:custom", hear);
    for (const part of [document.documentElement, document.body]) watch.observe(part, { attributes: true });
    model.send({ kind: "page" });
    return () => {
      model.off("msg:custom", hear);
      watch.disconnect();
    };
  },
};
