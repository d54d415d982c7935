// The script of every page: what Streamlit leaves out of the document around the pages.
//
// Data: `lang`, the language of the page; `page`, its path.
const NARROW = "(max-width: 768px)";
const COLLAPSE = '[data-testid="stSidebarCollapseButton"] button';
let shown;

export default function ({ data }) {
  document.documentElement.lang = data.lang;
  const isOther = shown !== undefined && shown !== data.page;
  shown = data.page;
  const sidebar = document.querySelector('[data-testid="stSidebar"]');
  if (isOther && matchMedia(NARROW).matches && sidebar?.dataset.collapsed === "false") {
    sidebar.querySelector(COLLAPSE)?.click();
  }
}
