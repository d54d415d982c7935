// The layout of the builder's graph. tools/bundle.sh bundles it.
export { Graph, layout } from "@dagrejs/dagre";
