/** Reads earlier decisions page by page, until it is enough or there are none, at most so many pages. */
export async function readBack(reader, pages, isEnough) {
  const { history } = reader;
  for (let page = 0; page < pages && !history.isWhole && !isEnough(); page++) await reader.moreHistory();
}
