"""The peers of the crawl benchmark: Scrapy, tuned and with our functions, and as most people use it."""
