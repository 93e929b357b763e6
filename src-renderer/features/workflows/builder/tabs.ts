/** The tabs of a workflow besides the builder, as in its address. */
export const editorTabs = ['runs', 'settings'] as const
export type EditorTab = 'builder' | (typeof editorTabs)[number]
