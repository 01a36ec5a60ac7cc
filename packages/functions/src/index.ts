export * as FunctionSource from "./FunctionSource.ts"
export * as Purity from "./Purity.ts"
