// The explorer in a notebook: the page in a frame, so that nothing of it meets the notebook's own, and a channel between
// it and the kernel. A frame that is loaded again, as when its cell was moved, opens on the position it had.

export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.title = "bayesbridge explorer";
    frame.sandbox = "allow-scripts allow-forms allow-downloads";
    frame.style.cssText = `display: block; box-sizing: border-box; width: 100%; height: ${model.get("height")}px; border: 1px solid #8888; border-radius: 6px`;
    let port = null;

    const dark = () => {
      // Light text stands on dark ground; a canvas reads a colour in whichever way it is written.
      const canvas = document.createElement("canvas").getContext("2d");
      canvas.fillStyle = getComputedStyle(el).color;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
      return red + green + blue > 384;
    };
    const repaint = new MutationObserver(() => port?.postMessage({ dark: dark() }));
    const hear = (message) => {
      if (!message.page) return port?.postMessage(message);
      if (frame.srcdoc) return;
      frame.srcdoc = message.page;
      el.replaceChildren(frame);
    };

    frame.addEventListener("load", () => {
      const channel = new MessageChannel();
      port = channel.port1;
      port.onmessage = ({ data }) => {
        model.send(data);
        if (data.id) return;
        // Once more as a trait, by which marimo runs cells again; in Jupyter a trait may come after the answers.
        model.set("link", data.link);
        model.save_changes();
      };
      frame.contentWindow.postMessage({ link: model.get("link"), dark: dark() }, "*", [channel.port2]);
    });
    model.on("msg:custom", hear);
    for (const part of [document.documentElement, document.body]) repaint.observe(part, { attributes: true });
    el.textContent = "The explorer is answered by the kernel: run this cell.";
    model.send({ kind: "page" });
    return () => {
      model.off("msg:custom", hear);
      repaint.disconnect();
    };
  },
};
