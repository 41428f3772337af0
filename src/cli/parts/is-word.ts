/** Whether an argument is neither an option nor empty. */
export const isWord = (text: string): boolean => text !== '' && !text.startsWith('-');
