/** Making elements without markup in strings: names of players are text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    const told = /^(data|aria)-/.test(name);
    if (value !== null && value !== undefined && (value !== false || told)) element.setAttribute(name, value === true && !told ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Make an SVG element. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Make an HTML element. */
export function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}
