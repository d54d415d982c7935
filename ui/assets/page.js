// The script of every page: what Streamlit leaves out of the document around the pages.
//
// Data: `lang`, the language of the page; `page`, its path; `target`, a `selector` to scroll to, and a
// `count` that grows each time.
const NARROW = "(max-width: 768px)";
const COLLAPSE = '[data-testid="stSidebarCollapseButton"] button';
const TRIES = 50; // until the target is there, 0.1 s apart
let shown;
let scrolled = 0;

function scrollTo(selector, tries) {
  const found = document.querySelector(selector);
  if (found) found.scrollIntoView({ block: "start" });
  else if (tries > 0) setTimeout(scrollTo, 100, selector, tries - 1);
}

export default function ({ data: [data] }) {
  document.documentElement.lang = data.lang;
  const isOther = shown !== undefined && shown !== data.page;
  shown = data.page;
  const sidebar = document.querySelector('[data-testid="stSidebar"]');
  if (isOther && matchMedia(NARROW).matches && sidebar?.dataset.collapsed === "false") {
    sidebar.querySelector(COLLAPSE)?.click();
  }
  if (data.target && data.target.count !== scrolled) {
    scrolled = data.target.count;
    scrollTo(data.target.selector, TRIES);
  }
}
