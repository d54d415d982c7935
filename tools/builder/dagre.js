// The layout of the builder's graph. tools/build_layout.sh bundles it.
export { Graph, layout } from "@dagrejs/dagre";
