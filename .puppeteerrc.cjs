// The launcher finds or brings a browser itself; puppeteer's own download is offered only for the headless shell.
module.exports = { chrome: { skipDownload: true } };
