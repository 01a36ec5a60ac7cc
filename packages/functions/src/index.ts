export * as FunctionSource from "./FunctionSource.ts"
export * as Limits from "./Limits.ts"
export * as Purity from "./Purity.ts"
