import draw from "/assets/panel.js";
const parentElement = document.querySelector("#parent");
window.sent = [];
const setTriggerValue = (_, event) => window.sent.push(event);
window.feed = (data) => (window.cleanup = draw({ data: [data], parentElement, setTriggerValue }));
window.isReady = true;
