window.YTD.tweet.part0 = [
  {
    "retweeted": false,
    "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
    "entities": {
      "hashtags": [],
      "symbols": [],
      "user_mentions": [],
      "urls": []
    },
    "display_text_range": [
      "0",
      "10"
    ],
    "favorite_count": "3",
    "id_str": "1100000000000000001",
    "truncated": false,
    "retweet_count": "0",
    "id": "1100000000000000001",
    "created_at": "Wed Oct 10 20:19:24 +0000 2018",
    "favorited": false,
    "full_text": "An old archive [with brackets]",
    "lang": "en"
  }
]
